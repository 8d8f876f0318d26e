"""Pictures that follow a setting, also while its control is dragged: each is a function with a name, see `registry`."""
