module github.com/pinion-ros/pinion

go 1.26
