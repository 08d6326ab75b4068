package msgs

// The packages are named because those of humble define some of the same types.
//
//go:generate go run github.com/pinion-ros/pinion/cmd/msggen gen action_msgs actionlib_msgs builtin_interfaces composition_interfaces control_msgs diagnostic_msgs example_interfaces geometry_msgs lifecycle_msgs nav_msgs rcl_interfaces rmw_dds_common rosgraph_msgs sensor_msgs service_msgs shape_msgs statistics_msgs std_msgs std_srvs stereo_msgs test_msgs tf2_msgs trajectory_msgs type_description_interfaces unique_identifier_msgs visualization_msgs
