"""The search kernel, in the dialect: successors of batches of states, looked up in a table of indices.

States lie in one array, level after level. The table has open addressing: an entry is 0 or a state's index plus 1,
and above it a tag of the state's hash; two states are the same only if all their words are. With several workers an
entry is published only after its state was written. `machine.py` has the order of these files.
"""
