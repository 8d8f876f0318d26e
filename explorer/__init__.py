"""Everything that knows Streamlit or Plotly."""

import os

# Before torch is imported, for all threads: so small a model is no faster on two. `torch.set_num_threads` is not enough, as a
# new thread's first product still takes them all, is rounded otherwise, and waits 5 ms until they have started.
os.environ["OMP_NUM_THREADS"] = "1"
