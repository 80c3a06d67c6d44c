package s03_test

import (
	"testing"

	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s03"
)

func TestS3(t *testing.T) { ruletest.Run(t, s03.Rule) }
