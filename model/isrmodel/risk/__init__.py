"""What a setting of a Kafka partition survives: the least that must go wrong before something is lost."""
