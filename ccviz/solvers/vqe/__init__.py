"""K-means with errors for broken links: CVQE and LCVQE, and the descent that both share."""
