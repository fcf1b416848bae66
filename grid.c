int halo;
