"""What the papers print, as far as `papers_page.py` sets it beside ours."""

from __future__ import annotations

# Piccialli, Russo Russo and Sudoso (2022), tables 5 to 7: seconds and success rates of CPRBBA, of
# an hour each, and of their branch and cut; by set and number of links.
CPRBBA = {
    ("ML", "iris", 50): (0.20, 100, 16.6), ("ML", "iris", 100): (0.02, 100, 5.8),
    ("ML", "wine", 50): (275.58, 100, 101.8), ("ML", "wine", 100): (39.02, 100, 31.6),
    ("ML", "connectionist", 50): (3600, 0, 160.8), ("ML", "connectionist", 100): (3600, 0, 75.6),
    ("ML", "seeds", 50): (174.08, 100, 84.4), ("ML", "seeds", 100): (35.76, 100, 19.2),
    ("CL", "iris", 50): (750.74, 80, 78.4), ("CL", "iris", 100): (724.54, 80, 58.6),
    ("CL", "wine", 50): (3600, 0, 85.2), ("CL", "wine", 100): (3600, 0, 216.6),
    ("CL", "connectionist", 50): (3600, 0, 165.6), ("CL", "connectionist", 100): (3600, 0, 102.6),
    ("CL", "seeds", 50): (3008.29, 20, 227.2), ("CL", "seeds", 100): (3600, 0, 225.8),
    ("both", "iris", 50): (0.30, 100, 28.2), ("both", "iris", 100): (3.32, 100, 11.2),
    ("both", "wine", 50): (1642.63, 60, 65.8), ("both", "wine", 100): (3136.97, 20, 93.0),
    ("both", "connectionist", 50): (3600, 0, 225.2),
    ("both", "connectionist", 100): (3600, 0, 88.0),
    ("both", "seeds", 50): (782.40, 80, 164.6), ("both", "seeds", 100): (458.63, 100, 72.2),
}  # fmt: skip

# Tables 9 to 11: ARI without links, by post-processing, at the optimum; then AMI.
SCORES = {
    ("ML", "iris"): (0.71, 0.874, 0.891, 0.741, 0.871, 0.886),
    ("ML", "wine"): (0.361, 0.519, 0.528, 0.413, 0.538, 0.563),
    ("ML", "connectionist"): (0.005, 0.051, 0.065, 0.003, 0.037, 0.056),
    ("ML", "seeds"): (0.707, 0.822, 0.847, 0.682, 0.790, 0.810),
    ("ML", "glass"): (0.161, 0.211, 0.269, 0.294, 0.329, 0.394),
    ("ML", "accent"): (0.032, 0.211, 0.291, 0.162, 0.237, 0.350),
    ("ML", "ecoli"): (0.426, 0.569, 0.731, 0.555, 0.671, 0.736),
    ("CL", "iris"): (0.71, 0.816, 0.836, 0.741, 0.815, 0.829),
    ("CL", "wine"): (0.361, 0.409, 0.429, 0.413, 0.436, 0.454),
    ("CL", "connectionist"): (0.005, 0.056, 0.077, 0.003, 0.041, 0.061),
    ("CL", "seeds"): (0.707, 0.792, 0.812, 0.682, 0.764, 0.779),
    ("CL", "glass"): (0.161, 0.169, 0.205, 0.294, 0.290, 0.322),
    ("CL", "accent"): (0.032, 0.028, 0.057, 0.162, 0.180, 0.203),
    ("CL", "ecoli"): (0.426, 0.449, 0.452, 0.555, 0.592, 0.613),
    ("both", "iris"): (0.71, 0.848, 0.873, 0.741, 0.844, 0.863),
    ("both", "wine"): (0.361, 0.457, 0.491, 0.413, 0.484, 0.512),
    ("both", "connectionist"): (0.005, 0.042, 0.088, 0.003, 0.031, 0.070),
    ("both", "seeds"): (0.707, 0.820, 0.832, 0.682, 0.789, 0.798),
    ("both", "glass"): (0.161, 0.195, 0.223, 0.294, 0.320, 0.345),
    ("both", "accent"): (0.032, 0.064, 0.071, 0.162, 0.192, 0.234),
    ("both", "ecoli"): (0.426, 0.463, 0.554, 0.555, 0.619, 0.667),
}

# Babaki, Guns and Nijssen (2014), tables 6 and 7: share of COP-k-means' runs that keep all links,
# their best, the value of column generation, and whether it was proved.
COLUMNS = {
    ("iris", 3): {
        2: ("100", "90.3725", "90.3725", ""), 60: ("100", "83.6675", "83.6675", ""),
        100: ("37.2", "87.2082", "87.2082", ""), 140: ("0", "", "87.8750", "yes"),
        200: ("0", "", "89.1496", "yes"), 240: ("0", "", "85.2477", "yes"),
        300: ("0", "", "89.3868", "yes"), 340: ("31.4", "89.3868", "89.3868", "yes"),
        400: ("0", "", "89.3868", "yes"), 440: ("31", "88.6409", "88.6409", "yes"),
        500: ("0", "", "89.3868", "yes"),
    },
    ("iris", 5): {
        2: ("100", "46.5616", "46.5616", ""), 60: ("100", "53.399", "53.399", ""),
        100: ("100", "57.3827", "57.3804", "yes"), 140: ("100", "63.1699", "62.2115", "yes"),
        200: ("100", "71.1401", "69.3154", "yes"), 240: ("100", "72.7078", "69.9776", "yes"),
        300: ("83.6", "82.0819", "81.9792", "yes"), 340: ("100", "85.9036", "82.9945", "yes"),
        400: ("100", "84.0495", "84.0357", "yes"), 440: ("100", "82.6373", "82.6373", "yes"),
        500: ("100", "85.8908", "85.8719", "yes"),
    },
    ("wine", 3): {
        240: ("0", "", "4860250", "yes"), 300: ("0", "", "5133144", "yes"),
        340: ("0", "", "5214981", "yes"), 380: ("0", "", "5220299", "yes"),
        420: ("0", "", "5232632", "yes"), 460: ("0", "", "5232632", "yes"),
        500: ("0", "", "5232632", "yes"),
    },
    ("wine", 5): {
        240: ("100", "4021090", "3327908", "yes"), 300: ("0", "", "4077296", "yes"),
        340: ("16.6", "4659910", "4329603", "yes"), 380: ("66.6", "4729860", "4450036", "yes"),
        420: ("59.6", "4740180", "4537678", "yes"), 460: ("94.2", "4819200", "4540041", "yes"),
        500: ("15", "4922560", "4684355", "yes"),
    },
}  # fmt: skip

# Bibi, Wu and Ghanem (2019), table 4: ARI in % of the four rivals and of ℓp-box; x is no answer.
RIVALS = {
    ("Wine", 20): ("87.14", "91.07", "88.19", "74.52", "91.67"),
    ("Wine", 40): ("84.48", "96.67", "89.68", "53.58", "88.04"),
    ("Wine", 60): ("91.22", "94.87", "89.74", "82.79", "98.32"),
    ("Wine", 80): ("93.09", "96.67", "87.73", "55", "94.87"),
    ("Wine", 100): ("96.51", "94.87", "88.33", "90.34", "96.51"),
    ("Iris", 20): ("69.57", "80.27", "90.39", "68.28", "72.87"),
    ("Iris", 40): ("74.37", "90.38", "92.22", "45.65", "72.76"),
    ("Iris", 60): ("x", "69.00", "97.99", "54.86", "100"),
    ("Iris", 80): ("x", "68.44", "97.99", "54.17", "100"),
    ("Iris", 100): ("x", "68.44", "97.99", "52.52", "100"),
}
MADE = {  # table 3: ARI in % of k-means and of ℓp-box with sizes
    ("Balanced", "2"): ("59.97", "100"),
    ("Balanced", "3"): ("89.99", "100"),
    ("Balanced", "4"): ("79.99", "100"),
    ("ImBalanced", "0.1"): ("34.67", "99.46"),
    ("ImBalanced", "0.3"): ("32.26", "100"),
}
IONOSPHERE = {"sizes": "8.49", "pairs": "35.65", "both": "80.42"}  # table 6

# Mansueto and Schoen (2024), table 3: share of 30 link files on which SG-MDE is at most as costly
# as the exact solver's answer, and the median and greatest difference in %.
MEMETIC = {
    "iris": (100.0, 0.0, 0.0), "wine": (100.0, 0.0, 0.0), "connectionist": (93.33, 0.0, 0.001),
    "seeds": (100.0, 0.0, 0.0), "glass": (23.33, 0.014, 0.425), "accent": (46.67, 0.0, 0.409),
    "ecoli": (36.67, 0.003, 0.479), "ECG5000": (46.67, 0.0, 0.03),
    "computers": (76.67, 0.0, 0.001),
}  # fmt: skip

# Piccialli, Russo Russo and Sudoso (2022), table 8: share of 30 link files on which a heuristic
# finds the optimum, in %, as far as the columns of our copy of the text can be told apart.
HEURISTICS = {
    ("iris", "IPC-k-means"): "96.7", ("iris", "BLPKM++"): "60", ("iris", "PP"): "16.7",
    ("wine", "IPC-k-means"): "100", ("wine", "BLPKM++"): "56.7", ("wine", "PP"): "16.7",
    ("seeds", "IPC-k-means"): "96.7", ("seeds", "BLPKM++"): "66.7", ("seeds", "PP"): "30",
    ("connectionist", "IPC-k-means"): "93.3", ("connectionist", "BLPKM++"): "26.7",
    ("connectionist", "PP"): "6.7", ("iris", "COP-k-means"): "3.3", ("wine", "COP-k-means"): "3.3",
    ("seeds", "COP-k-means"): "16.7", ("glass", "IPC-k-means"): "43.3",
    ("accent", "IPC-k-means"): "33.3", ("ecoli", "IPC-k-means"): "40",
    ("heart", "IPC-k-means"): "96.7", ("vertebral", "IPC-k-means"): "96.7",
    ("ECG5000", "IPC-k-means"): "63.3", ("computers", "IPC-k-means"): "96.7",
}  # fmt: skip

# Baumann and Hochbaum (2022), tables 4 and 5: broken links and seconds of all 75 runs a share of
# links, of BH-kmeans, DILS and k-means.
BROKEN = {"5": (0, 213, 3707), "10": (1, 1507, 14403), "15": (0, 2146, 32162),
          "20": (4, 4006, 58113)}  # fmt: skip
SECONDS = {"5": (135.9, 95454.5, 98.6), "10": (571.3, 97577.6, 94.8),
           "15": (686.6, 101798.5, 95.6), "20": (1840.0, 107416.7, 98.3)}  # fmt: skip

# Mansueto and Schoen (2024), table 2: share of seven numbers of links, in %, on which SG-MDE, BLP
# k-means and COP-k-means reach the best objective, on which SG-MDE has the fewest iterations, and
# share of COP-k-means' runs that end without a clustering; by n and k.
SYNTHETIC = {
    (500, 2): (100, 100, 57.14, 100, 42.86), (500, 20): (100, 14.29, 0, 100, 28.57),
    (500, 100): (100, 0, 0, 100, 0), (1000, 2): (100, 100, 42.86, 100, 42.86),
    (1000, 20): (100, 0, 0, 100, 14.29), (1000, 100): (100, 0, 0, 100, 0),
    (2000, 2): (100, 85.71, 28.57, 100, 57.14), (2000, 20): (100, 0, 0, 100, 0),
    (2000, 100): (100, 0, 0, 100, 0), (5000, 2): (100, 57.14, 0, 100, 57.14),
    (5000, 20): (100, 0, 0, 100, 0), (5000, 100): (100, 0, 0, 100, 0),
    (10000, 2): (100, 71.43, 0, 100, 71.43), (10000, 20): (100, 0, 0, 100, 0),
    (10000, 100): (100, 0, 0, 100, 0), (20000, 2): (100, 42.86, 0, 100, 71.43),
    (20000, 20): (100, 0, 0, 100, 0), (20000, 100): (100, 0, 0, 100, 0),
}  # fmt: skip

# Table 4: of 30 link files, those on which HG-means breaks no link, the share of these on which
# SG-MDE is at most as costly, the median difference of its objective and of its local searches.
HG_MEANS = {
    "iris": (30, 100, -0.001, -79.08), "seeds": (30, 100, -0.044, -67.31),
    "glass": (3, 100, -28.591, -74.51), "accent": (10, 100, -1.73, -52.78),
    "ecoli": (16, 100, -16.94, -46.05),
}  # fmt: skip
