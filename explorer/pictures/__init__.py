"""What each picture that follows a knob shows, of the model on screen and of what its page has chosen: for the page itself, and
while the knob is dragged."""
