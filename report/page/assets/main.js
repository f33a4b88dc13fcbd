// SPDX-License-Identifier: Apache-2.0
// Selects the page to build from its data.

const PAGES = {run: runPage, compare: comparePage, sweep: sweepPage, serving: servingPage, cluster: clusterPage};

const started = performance.now();
const content = JSON.parse(document.getElementById("data").textContent);
chartDefaults();
PAGES[content.kind](document.getElementById("page"), content);
document.documentElement.dataset.built = (performance.now() - started).toFixed(0);  // ms, for tests
