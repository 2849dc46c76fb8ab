"""The command `isrcheck schedule S --on kafka-RELEASE`: a schedule of the kraft family, played on a cluster.

Read `kraft.py` (which actions are done to a cluster, which brokers take by themselves, which nobody can force),
`course.py` (the model's side), `facts.py` (what both sides are asked), `drives.py` and `watch.py` (the cluster's side),
`playing.py` and `report.py`.
"""
