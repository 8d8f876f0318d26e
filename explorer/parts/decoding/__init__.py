"""What the decoder does in training and in use."""
