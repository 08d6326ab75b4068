package geometry_msgs

import "math"

// QuaternionFromRPY returns the rotation by roll about x, then pitch about y, then yaw about z, all
// about fixed axes and in radians (REP-103).
func QuaternionFromRPY(roll, pitch, yaw float64) Quaternion {
	sr, cr := math.Sincos(roll / 2)
	sp, cp := math.Sincos(pitch / 2)
	sy, cy := math.Sincos(yaw / 2)
	return Quaternion{
		X: sr*cp*cy - cr*sp*sy,
		Y: cr*sp*cy + sr*cp*sy,
		Z: cr*cp*sy - sr*sp*cy,
		W: cr*cp*cy + sr*sp*sy,
	}
}

// RPY returns the angles of QuaternionFromRPY for a quaternion of any length but 0, in radians: roll
// and yaw in -π to π, pitch in -π/2 to π/2. With the nose straight up or down only the sum or the
// difference of roll and yaw is determined; roll is 0 then. The zero quaternion gives NaN.
func (m Quaternion) RPY() (roll, pitch, yaw float64) {
	x, y, z, w := m.X, m.Y, m.Z, m.W
	norm := x*x + y*y + z*z + w*w
	if norm == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	sin := 2 * (w*y - z*x) / norm
	if math.Abs(sin) > 1-1e-12 {
		return 0, math.Copysign(math.Pi/2, sin), -2 * math.Copysign(1, sin) * math.Atan2(x, w)
	}
	return math.Atan2(2*(w*x+y*z), w*w-x*x-y*y+z*z), math.Asin(sin), math.Atan2(2*(w*z+x*y), w*w+x*x-y*y-z*z)
}
