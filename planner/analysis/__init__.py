"""What-if questions asked of the sheet: sweeps, goal seek, sensitivity, break-even, projections."""
