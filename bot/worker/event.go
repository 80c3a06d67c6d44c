package worker

import (
	"encoding/json"
	"strings"
)

// event holds the parts of GitHub's payloads that the App uses. Everything in
// it is untrusted text; facts that matter are read again from GitHub. The
// client library's types refuse some of GitHub's own examples, these do not.
type event struct {
	Action       string `json:"action"`
	Installation struct {
		ID int64 `json:"id"`
	} `json:"installation"`
	Repository struct {
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
	Sender user `json:"sender"`

	PullRequest *struct {
		Number int    `json:"number"`
		State  string `json:"state"`
		User   user   `json:"user"`
		Head   commit `json:"head"`
		Base   commit `json:"base"`
	} `json:"pull_request"`

	Issue *struct {
		Number      int       `json:"number"`
		PullRequest *struct{} `json:"pull_request"`
	} `json:"issue"`
	Comment *struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User user   `json:"user"`
	} `json:"comment"`

	CheckRun *struct {
		ID      int64  `json:"id"`
		Name    string `json:"name"`
		HeadSHA string `json:"head_sha"`
		App     app    `json:"app"`
	} `json:"check_run"`
	CheckSuite *struct {
		ID      int64  `json:"id"`
		HeadSHA string `json:"head_sha"`
		App     app    `json:"app"`
	} `json:"check_suite"`
	RequestedAction struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`

	WorkflowRun *struct {
		ID           int64  `json:"id"`
		HeadSHA      string `json:"head_sha"`
		DisplayTitle string `json:"display_title"`
		Conclusion   string `json:"conclusion"`
	} `json:"workflow_run"`
	WorkflowJob *struct {
		RunID int64 `json:"run_id"`
	} `json:"workflow_job"`

	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`

	Ref string `json:"ref"`
}

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type commit struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

type app struct {
	ID int64 `json:"id"`
}

// parseEvent reads a payload.
func parseEvent(payload []byte) (event, error) {
	var e event
	err := json.Unmarshal(payload, &e)
	return e, err
}

// branch is the branch of a push, empty for a tag.
func (e event) branch() string {
	branch, ok := strings.CutPrefix(e.Ref, "refs/heads/")
	if !ok {
		return ""
	}
	return branch
}
