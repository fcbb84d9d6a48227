"""Lessons: steps that a person walks through on the page, one file a lesson."""
