"""Live training: plans, runs, the scheduler that steps them, and their histories. No Streamlit."""
