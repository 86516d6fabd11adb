"""Predicted against measured: public tables of runs and KV pools, evaluated by the planner's own sheet."""
