// Makes the page work without a network after the first visit.

// Browsers without service workers, and pages that did not come by HTTPS, need the network each time.
navigator.serviceWorker?.register(new URL("service-worker.js", document.baseURI)).catch((error: unknown) => {
  console.info("This page will not work offline:", error);
});

// Else a browser that runs out of space may drop what was kept. It may say no.
void navigator.storage?.persist?.().catch(() => false);
