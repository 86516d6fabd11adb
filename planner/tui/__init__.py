"""The screen: application, screens, widgets and styles."""
