package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

// printJSON prints v for scripts.
func printJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
