package githubsim_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/tilegate/tilegate/bot/githubsim"
)

// A test makes a repository, opens a pull request, lets a user comment, and
// sends what GitHub would send to the App's webhook.
func Example() {
	sim := githubsim.New(githubsim.Options{Events: []string{"pull_request", "issue_comment"}})
	if err := sim.Start(); err != nil {
		fmt.Println(err)
		return
	}
	defer sim.Close()
	// the App is configured with sim.URL, sim.AppID() and sim.PrivateKeyPEM()
	repo, _ := sim.CreateRepo("octo", "gym", fstest.MapFS{"kernel.rs": {Data: []byte("fn main() {}\n")}})
	repo.SetPermission("alice", "write")
	_ = repo.CreateBranch("faster", "main")
	_, _ = repo.Commit("faster", "alice", "Make it faster", githubsim.Changes{"kernel.rs": githubsim.Text("fn main() { fast() }\n")})
	number, _ := repo.OpenPull(githubsim.PullOptions{Title: "Faster", Branch: "faster", Author: "alice"})
	_, _ = repo.Comment(number, "alice", "/tilegym status")

	sent, _ := sim.DeliverTo(context.Background(), sim.URL+"/the/apps/webhook", "secret")
	for _, d := range sent {
		fmt.Println(d.Event, d.Action, d.Status)
	}
	state, _ := repo.Pull(number)
	fmt.Println(state.Files[0].Patch)
	// Output:
	// installation created 404
	// pull_request opened 404
	// issue_comment created 404
	// @@ -1 +1 @@
	// -fn main() {}
	// +fn main() { fast() }
}
