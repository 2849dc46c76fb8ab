"""What brokers, controllers and clients wrote down, as one table of events."""
