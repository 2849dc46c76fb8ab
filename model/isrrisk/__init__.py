"""Risk of a setting of a Kafka partition: the least that must go wrong before something is lost."""
