var searchData=
[
  ['turbojpeg',['TurboJPEG',['../group___turbo_j_p_e_g.html',1,'']]]
];
