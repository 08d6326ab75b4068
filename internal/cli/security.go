package cli

import (
	"fmt"

	"github.com/pinion-ros/pinion/internal/security"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

func securityCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "security",
		Short: "Make keystores and enclaves for secured nodes (SROS 2)",
		Long: `security makes what "ros2 security" makes, in the same form: either works with the other's keystores.
Nodes use a keystore with ROS_SECURITY_ENABLE=true, ROS_SECURITY_STRATEGY=Enforce and
ROS_SECURITY_KEYSTORE set to its folder, and their enclave with --ros-args --enclave.`,
	}
	cmd.AddCommand(createKeystoreCommand(), createEnclaveCommand(), createPermissionCommand(), listEnclavesCommand())
	return cmd
}

// domainFlag adds --domain, ROS_DOMAIN_ID where it is not given. The function that it returns reads it.
func domainFlag(cmd *cobra.Command) func() (uint32, error) {
	domain := cmd.Flags().Uint32("domain", 0, "domain id that it is for (default ROS_DOMAIN_ID, else 0)")
	return func() (uint32, error) {
		switch {
		case cmd.Flags().Changed("domain") && *domain > pubsub.MaxDomain:
			return 0, usage(cmd, fmt.Errorf("--domain %d: the highest is %d", *domain, pubsub.MaxDomain))
		case cmd.Flags().Changed("domain"):
			return *domain, nil
		}
		d, err := pubsub.DiscoveryFromEnv()
		return d.Domain, err
	}
}

func createKeystoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create-keystore DIR",
		Short: "Make a certificate authority and the rules of a domain",
		Long: `create-keystore makes a certificate authority, and a governance document that wants everything in the
domain authenticated and encrypted. DIR/private must stay secret and off the robots. A robot needs
DIR/public, of DIR/enclaves the folders of its own enclaves, and DIR/enclaves/governance.p7s, to which
these have links.`,
	}
	domain := domainFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		d, err := domain()
		if err == nil {
			_, err = security.Create(args[0], d)
		}
		return err
	}
	return cmd
}

func createEnclaveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create-enclave DIR NAME",
		Short: "Make a key, a certificate and permissions for nodes",
		Long: `create-enclave makes the enclave NAME ("/robot/arm") in the keystore DIR. Its nodes may use all topics,
services and actions, until create-permission says otherwise.`,
	}
	domain := domainFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		d, err := domain()
		if err != nil {
			return err
		}
		k, err := security.Open(args[0])
		if err != nil {
			return err
		}
		return k.CreateEnclave(args[1], d, security.Everything())
	}
	return cmd
}

func createPermissionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create-permission DIR NAME POLICY",
		Short: "Replace what the nodes of an enclave may do",
		Long: `create-permission replaces the permissions of the enclave NAME in the keystore DIR by what the file
POLICY, an access control policy of ROS 2, says of it. Nodes see it when they are started again.`,
	}
	domain := domainFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		d, err := domain()
		if err != nil {
			return err
		}
		k, err := security.Open(args[0])
		if err != nil {
			return err
		}
		p, err := security.ReadPolicy(args[2], args[1])
		if err != nil {
			return err
		}
		return k.SetPermissions(args[1], d, p)
	}
	return cmd
}

func listEnclavesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list-enclaves DIR",
		Short: "List the enclaves of a keystore",
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := security.Open(args[0])
			if err != nil {
				return err
			}
			names, err := k.Enclaves()
			for _, name := range names {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			return err
		},
	}
}
