"""Sources of points and links: shipped data sets, files, and links drawn at random."""

from ccviz.data.datasets import load
from ccviz.data.learned_metric import learn_metric
from ccviz.data.link_files import read_links_file
from ccviz.data.random_links import random_pairs
from ccviz.data.read_table import read_data, read_table
from ccviz.data.scaling import scale, scale_as, weighted

__all__ = [
    "learn_metric",
    "load",
    "random_pairs",
    "read_data",
    "read_links_file",
    "read_table",
    "scale",
    "scale_as",
    "weighted",
]
