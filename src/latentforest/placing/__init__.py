"""How new rows get their coordinates, by what a model file holds.

Nothing here needs scikit-learn or a library of tables. Users find the names in
``latentforest.encoder``.
"""

from latentforest.placing._leaf_table import LeafTable as LeafTable
from latentforest.placing._leaf_table import leave_one_out as leave_one_out
from latentforest.placing._leaf_table import make_leaf_table as make_leaf_table
from latentforest.placing._placer import Placer as Placer
from latentforest.placing._relatives import relatives_but as relatives_but
from latentforest.placing._relatives import relatives_of as relatives_of
from latentforest.placing._saved import StoredKernel as StoredKernel
from latentforest.placing._saved import StoredPlacer as StoredPlacer
from latentforest.placing._saved import bags_demand as bags_demand
from latentforest.placing._saved import check_mass as check_mass
from latentforest.placing._saved import leaf_table_demand as leaf_table_demand
from latentforest.placing._saved import refined_demand as refined_demand
from latentforest.placing._saved import rows_demand as rows_demand
from latentforest.placing._saved import take_draws as take_draws
from latentforest.placing._saved import take_eigenvalues as take_eigenvalues
from latentforest.placing._saved import take_kernel as take_kernel
from latentforest.placing._saved import take_leaf_table as take_leaf_table
