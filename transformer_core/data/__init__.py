"""What there is to learn: words and their ids, sentences with their answers, and batches of them."""
