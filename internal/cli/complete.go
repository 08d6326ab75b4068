package cli

import (
	"github.com/pinion-ros/pinion/internal/nodecmd"
	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// Completions of arguments for the shell. What goes wrong shows as no completion: the shell has no
// place for errors.

// completions tells what argument i may be, args being those before it.
type completions func(cmd *cobra.Command, args []string) []string

// complete has each argument completed by the function in its place; the last one serves all further
// ones if more is true.
func complete(more bool, of ...completions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		i := len(args)
		if more {
			i = min(i, len(of)-1)
		}
		if i >= len(of) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return of[i](cmd, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// topics completes names of topics.
func (l *looker) topics(cmd *cobra.Command, _ []string) (names []string) {
	_ = l.look(cmd.Context(), func(n *pubsub.Node) error {
		entries, err := topic.List(n, l.hidden)
		names = topic.Names(entries)
		return err
	})
	return names
}

// typeOfTopic completes the type of the topic that is the first argument, and without one as types
// does.
func (l *looker) typeOfTopic(cmd *cobra.Command, args []string) []string {
	v, err := l.view(cmd.Context(), args[0])
	if err != nil {
		return nil
	}
	defer v.close()
	if found := topic.TypesOf(v.endpoints); len(found) > 0 {
		return found
	}
	return l.messages(cmd, args)
}

// messages completes names of message types.
func (l *looker) messages(*cobra.Command, []string) []string { return l.types(true) }

// interfaces completes names of all types.
func (l *looker) interfaces(*cobra.Command, []string) []string { return l.types(false) }

func (l *looker) types(messages bool) []string {
	f, err := l.finder()
	if err != nil {
		return nil
	}
	found, err := f.Names()
	if err != nil {
		return nil
	}
	var names []string
	for _, n := range found {
		if !messages || n.Kind == 0 {
			names = append(names, n.String())
		}
	}
	return names
}

// nodes completes names of nodes.
func (l *looker) nodes(cmd *cobra.Command, _ []string) (names []string) {
	_ = l.look(cmd.Context(), func(n *pubsub.Node) error {
		nodes, err := nodecmd.List(n, l.hidden)
		for _, n := range nodes {
			names = append(names, n.FullName)
		}
		return err
	})
	return names
}

// oneOf completes one of a few words.
func oneOf(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}
