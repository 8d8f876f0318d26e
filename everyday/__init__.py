"""Everyday English, with every right translation into French and Chinese and its probability.

A sentence is a tree (`sentence`). `english` says it in English, `french` and `chinese` in the other languages. They make every
free choice through a chooser (`choice`), so that one function both samples an answer and enumerates all of them.
"""
