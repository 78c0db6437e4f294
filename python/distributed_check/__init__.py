"""Long checks of fits on Dask: workers killed at random times, data beyond the workers' memory, the cost of it all."""
