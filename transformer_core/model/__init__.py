"""The model of the paper, part by part, and every tensor of a forward pass by name."""
