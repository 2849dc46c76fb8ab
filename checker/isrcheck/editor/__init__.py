"""Facts that an editor shows of a model file while it is written (docs/editor.md).

The server imports nothing of a user's file. It asks a second process, which forks one for each reading.
"""
