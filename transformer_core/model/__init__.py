"""The model of the paper, part by part, with every tensor of a forward pass by name."""
