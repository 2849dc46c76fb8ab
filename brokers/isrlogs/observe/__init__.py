"""Logs of brokers, controllers and clients as one table of events."""
