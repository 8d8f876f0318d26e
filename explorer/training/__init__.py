"""Live training without any page: plans, runs, the scheduler that steps them, and what is kept of them. No Streamlit."""
