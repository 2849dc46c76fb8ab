"""Kafka clusters on this machine, for watching what real brokers do; needs Java and Maven, and nothing else does.

Read `releases.py` and `artifacts.py` (what is run), `settings.py`, `process.py` and `cluster.py` (how), `client.py` and
`journal.py` (what is done to a cluster, and written down), `recording.py` (what is kept), and then `scenarios`.
"""
