"""Everything that knows Streamlit or Plotly."""

import os

# Set before torch is imported: models this small gain nothing from a second core. `torch.set_num_threads` would not do, as the
# first matrix product of each new thread would still use all cores: it would round differently, and take 5 ms longer.
os.environ["OMP_NUM_THREADS"] = "1"
