package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Pages shows what the App knows about runs.
type Pages interface {
	// RunPage renders the page of a dispatch; ok is false when there is none.
	RunPage(ctx context.Context, id string) (html []byte, ok bool, err error)
}

// Options configure the HTTP side. Pages and Registry may be nil.
type Options struct {
	Secrets  []Secret
	Inbox    Inbox
	Pages    Pages
	Ready    func(ctx context.Context) error
	Tokens   Tokens
	Registry *prometheus.Registry
	Setup    []byte // the page of /setup
	Log      *slog.Logger
}

// securityHeaders allow a page nothing but its own text and style.
var securityHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options":  "nosniff",
	"Referrer-Policy":         "no-referrer",
	"Cache-Control":           "no-store",
}

// Public is the handler that GitHub and browsers reach.
func Public(o Options) http.Handler {
	count := func(string, string) {}
	if o.Registry != nil {
		deliveries := prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tilegate_webhook_requests_total", Help: "Webhook requests by event and result.",
		}, []string{"event", "result"})
		o.Registry.MustRegister(deliveries)
		// An alarm on a series that is not there yet says nothing.
		for _, result := range []string{forged, unsigned} {
			deliveries.WithLabelValues(knownEvent(unknownEvent), result)
		}
		count = func(event, result string) { deliveries.WithLabelValues(knownEvent(event), result).Inc() }
	}
	mux := http.NewServeMux()
	mux.Handle("POST /webhook", newWebhook(o.Secrets, o.Inbox, o.Log, count))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := o.Ready(r.Context()); err != nil {
			o.Log.Error("not ready", "error", err)
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ready\n"))
	})
	mux.HandleFunc("GET /runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if o.Pages == nil || !o.Tokens.Valid(id, r.URL.Query().Get("k")) {
			http.NotFound(w, r)
			return
		}
		page, ok, err := o.Pages.RunPage(r.Context(), id)
		if err != nil {
			o.Log.Error("run page", "id", id, "error", err)
			http.Error(w, "the page could not be made", http.StatusInternalServerError)
			return
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		writeHTML(w, page)
	})
	return mux
}

// Admin is the handler of the administrator's listener, loopback by default.
func Admin(o Options) http.Handler {
	mux := http.NewServeMux()
	if o.Registry != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{}))
	}
	mux.HandleFunc("GET /setup", func(w http.ResponseWriter, _ *http.Request) { writeHTML(w, o.Setup) })
	return mux
}

func writeHTML(w http.ResponseWriter, page []byte) {
	for name, value := range securityHeaders {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	w.Write(page)
}

// knownEvent keeps a sender from making metric labels at will.
func knownEvent(event string) string {
	switch event {
	case "pull_request", "issue_comment", "check_run", "check_suite", "workflow_run", "workflow_job",
		"merge_group", "installation", "installation_repositories", "push", "ping":
		return event
	}
	return "other"
}

// Serve answers requests on a listener until the context ends, and then those that
// are under way.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		// What takes longer is cut off; a delivery half read is sent again by hand or sweep.
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(grace); err != nil {
			s.Close()
		}
	})
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended // only the end of the context closes the server
	return nil
}
