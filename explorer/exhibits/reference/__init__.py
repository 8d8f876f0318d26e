"""The questions that the app answers, and where."""
