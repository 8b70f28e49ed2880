// Stands in for the console's pages until they are built.
document.title = "Parley";
