"""The pictures that follow a knob, each a function with a name."""
