SparsePath = None
