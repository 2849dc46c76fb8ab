"""`isrcheck schedule S --on kafka-RELEASE`: a schedule of the kraft family, played on a cluster beside the model.

Read `kraft.py` (what is done for each action, what brokers do by themselves, what cannot be forced), `course.py` (the model's
side), `facts.py` (what both sides are asked), `drives.py` and `watch.py` (the cluster's side), `playing.py` and `report.py`.
"""
