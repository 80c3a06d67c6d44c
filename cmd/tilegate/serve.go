package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/tilegate/tilegate/bot/appauth"
	"github.com/tilegate/tilegate/bot/pull"
	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/worker"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/templates"
)

type serveCmd struct {
	Config string `placeholder:"FILE" help:"YAML file with settings; TILEGATE_* variables override it."`
}

func (c *serveCmd) Help() string {
	return "Runs the GitHub App until it is interrupted. Exit status: 0 stopped on request, 2 a setting is missing or malformed."
}

func (c *serveCmd) Run(s streams) error {
	var data []byte
	if c.Config != "" {
		var err error
		if data, err = os.ReadFile(c.Config); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	}
	settings, err := server.LoadSettings(c.Config, data, os.Getenv)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(s.Err, nil))
	for _, doubt := range settings.Doubts() {
		log.Warn(doubt)
	}
	for _, name := range server.Unread(os.Environ()) {
		log.Warn(name + " is set and is no setting of the App: docs/serve.md lists them")
	}
	public, err := net.Listen("tcp", settings.Listen)
	if err != nil {
		return fmt.Errorf("%s: %w", settings.Name("TILEGATE_LISTEN"), err)
	}
	defer public.Close()
	admin, err := net.Listen("tcp", settings.AdminListen)
	if err != nil {
		return fmt.Errorf("%s: %w", settings.Name("TILEGATE_ADMIN_LISTEN"), err)
	}
	defer admin.Close()
	err = serve(ctx, settings, public, admin, log)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // interrupted while it started
	}
	return err
}

// serve runs the App on its two listeners until the context ends.
func serve(ctx context.Context, settings server.Settings, public, admin net.Listener, log *slog.Logger) error {
	st, err := store.Open(ctx, settings.DatabaseURL, time.Now)
	if err != nil {
		return fmt.Errorf("%s %s: %w", settings.Name("TILEGATE_DATABASE_URL"), settings.DatabaseURL, err)
	}
	defer st.Close()
	key, err := st.Key(ctx, "run pages")
	if err != nil {
		return err
	}
	clients, err := appauth.New(appauth.Config{
		APIURL: settings.GitHubAPIURL, AppID: settings.AppID, PrivateKey: []byte(settings.PrivateKey.Reveal()), UserAgent: "tilegate/" + version(),
	})
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	tokens := server.NewTokens(key)
	options := worker.Options{
		Store: st, Reader: pull.NewReader(pull.Config{Clients: clients}), Clients: clients, AppID: settings.AppID, Forget: clients.Forget,
		Rules: all.Rules, Version: version(), Log: log, Registry: registry,
		WritePace: settings.WritePace, PollInterval: settings.PollInterval, ReconcileInterval: settings.ReconcileInterval,
	}
	if settings.PublicURL != "" {
		options.PageURL = func(id string) string { return settings.PublicURL + "/runs/" + id + "?k=" + tokens.Token(id) }
	}
	app, err := worker.New(ctx, options)
	if err != nil {
		return err
	}
	setup, err := setupPage(settings)
	if err != nil {
		return err
	}
	web := server.Options{
		Secrets: settings.WebhookSecrets, Inbox: app, Pages: app, Ready: st.Ping, Tokens: tokens, Registry: registry, Setup: setup, Log: log,
	}
	log.Info("listening", "address", public.Addr().String(), "admin", admin.Addr().String(), "version", version())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Serve(ctx, public, server.Public(web)) })
	group.Go(func() error { return server.Serve(ctx, admin, server.Admin(web)) })
	group.Go(func() error { return app.Run(ctx) })
	return group.Wait()
}

// permission is one right that the App needs.
type permission struct{ Name, Access string }

var permissions = []permission{
	{"actions", "write"}, {"checks", "write"}, {"contents", "read"}, {"issues", "write"}, {"merge_queues", "read"}, {"metadata", "read"}, {"pull_requests", "write"},
}

var events = []string{"check_run", "check_suite", "issue_comment", "merge_group", "pull_request", "push", "workflow_job", "workflow_run"}

// setupPage is the page of the administrator's listener that says what GitHub
// and the repository still need.
func setupPage(settings server.Settings) ([]byte, error) {
	webhook := ""
	if settings.PublicURL != "" {
		webhook = settings.PublicURL + "/webhook"
	}
	rights := map[string]string{}
	for _, p := range permissions {
		rights[p.Name] = p.Access
	}
	form := map[string]any{
		"name": "tilegate", "url": "https://github.com/tilegate/tilegate", "public": false, "default_permissions": rights, "default_events": events,
	}
	if webhook != "" { // GitHub refuses a webhook without an address
		form["hook_attributes"] = map[string]any{"url": webhook}
	}
	manifest, err := json.MarshalIndent(form, "", "  ")
	if err != nil {
		return nil, err
	}
	return templates.HTML("setup.html", map[string]any{
		"AppID": settings.AppID, "API": settings.GitHubAPIURL, "Database": settings.DatabaseURL, "Version": version(),
		"Permissions": permissions, "Events": events, "Webhook": webhook, "Manifest": string(manifest),
	})
}
