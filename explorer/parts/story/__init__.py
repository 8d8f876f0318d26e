"""The five minutes: nine short steps for people who know nothing of all this. What is said of a picture is read from it."""
