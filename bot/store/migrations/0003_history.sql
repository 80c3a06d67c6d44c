-- What concluded perf verdicts measured, each as a document of tilegate.history/v1.
DROP TABLE medians;
CREATE TABLE measurements (
  dispatch TEXT NOT NULL,
  kernel   TEXT NOT NULL,
  document BLOB NOT NULL,
  recorded INTEGER NOT NULL,
  PRIMARY KEY (dispatch, kernel)
);
