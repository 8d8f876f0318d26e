"""Commands about trained models, a module each: `add_to` describes its options, `run` carries it out."""
